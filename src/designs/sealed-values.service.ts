import { Injectable } from '@nestjs/common';
import { Vault } from '../core/crypto/vault.service.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import type { Design } from './design.entity.js';

/** The `data` of the Secrets that a design was read from a cluster with, by name, and where that was. */
export interface SealedValues {
  connectionId: string;
  /** Identifies the cluster, to which the connection may not lead any more; null when it could not be read. */
  clusterUid?: string | null;
  namespace: string;
  secrets: Record<string, Record<string, string>>;
}

/** Keeps the values of Secrets for designs that have placeholders for them. */
@Injectable()
export class SealedValuesService {
  constructor(
    private readonly vault: Vault,
    private readonly unit: UnitOfWork,
  ) {}

  seal({ id, organizationId }: Design, values: SealedValues): Promise<Buffer> {
    return this.vault.seal(organizationId, JSON.stringify(values), sealingContext(id));
  }

  /** What deployments put in the place of placeholders, with the organization of the design. */
  async open(designId: string): Promise<(SealedValues & { organizationId: string }) | null> {
    const [row] = await this.unit.runAsSystem('the values of Secrets of a design', () =>
      this.unit.manager.query<{ sealed: Buffer | null; organizationId: string }[]>(
        `SELECT sealed_values AS sealed, organization_id AS "organizationId" FROM design WHERE id = $1`,
        [designId],
      ),
    );
    if (!row?.sealed) return null;
    const text = await this.vault.open(row.sealed, sealingContext(designId));
    return { ...(JSON.parse(text.toString()) as SealedValues), organizationId: row.organizationId };
  }
}

const sealingContext = (designId: string): string => `design ${designId} values`;
