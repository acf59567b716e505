import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Vault } from '../../core/crypto/vault.service.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { AppliedChange, ChangeJournal } from '../apply/applied-change.js';
import type { Deployment } from '../deployment.entity.js';
import { DeploymentChange } from './deployment-change.entity.js';
import { GroupedWrites } from './grouped-writes.js';

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** Maximum number of rows per statement. */
const BATCH = 1_000;

type JournalKey = Pick<DeploymentChange, 'deploymentId' | 'connectionId'>;

/** The changes of unfinished deployments, by cluster. */
@Injectable()
export class ChangeJournalsStore {
  constructor(
    private readonly unit: UnitOfWork,
    private readonly vault: Vault,
  ) {}

  /** @param assertLeased throws for a worker that has lost the lease, so that it neither records and makes another change nor withdraws one */
  async open(deployment: Deployment, connectionId: string, assertLeased: () => Promise<void>): Promise<ChangeJournal> {
    const rows = await this.findRows({ deploymentId: deployment.id, connectionId });
    const changes = new Map<AppliedChange, number>();
    for (const row of rows) changes.set(await this.openRow(row), row.number);
    let last = rows.at(-1)?.number ?? 0;
    const key = { deploymentId: deployment.id, connectionId };
    const writes = new GroupedWrites<AppliedChange>(async (added) => {
      const made = added.map((change) => ({ change, number: ++last }));
      const { organizationId } = deployment;
      const toRow = async ({ change, number }: (typeof made)[number]) => ({
        ...{ ...key, number, organizationId },
        content: await this.seal(organizationId, { ...key, number }, change),
      });
      // The first looks up the data key, the others find it in memory.
      const values = await Promise.all(made.slice(0, 1).map(toRow));
      values.push(...(await Promise.all(made.slice(1).map(toRow))));
      await this.unit.run(async () => {
        for (let at = 0; at < values.length; at += BATCH)
          await this.unit.manager.getRepository(DeploymentChange).insert(values.slice(at, at + BATCH));
        await assertLeased();
      });
      for (const { change, number } of made) changes.set(change, number);
    });
    return {
      get changes() {
        return [...changes.keys()];
      },
      record: async (added) => {
        if (added.length > 0) await writes.add(added);
      },
      withdraw: async (withdrawn) => {
        const numbers = withdrawn.flatMap((change) => changes.get(change) ?? []);
        if (numbers.length === 0) return;
        await this.unit.run(async () => {
          await this.unit.manager.getRepository(DeploymentChange).delete({ ...key, number: In(numbers) });
          await assertLeased();
        });
        for (const change of withdrawn) changes.delete(change);
      },
    };
  }

  async changes(deployment: Deployment, connectionId: string): Promise<AppliedChange[]> {
    const rows = await this.findRows({ deploymentId: deployment.id, connectionId });
    return Promise.all(rows.map((row) => this.openRow(row)));
  }

  isEmpty({ id }: Deployment): Promise<boolean> {
    return this.unit.manager
      .getRepository(DeploymentChange)
      .existsBy({ deploymentId: id })
      .then((exists) => !exists);
  }

  async clear({ id }: Deployment): Promise<void> {
    await this.unit.manager.getRepository(DeploymentChange).delete({ deploymentId: id });
  }

  private findRows(key: JournalKey): Promise<DeploymentChange[]> {
    return this.unit.manager.getRepository(DeploymentChange).find({ where: key, order: { number: 'ASC' } });
  }

  private async seal(
    organizationId: string,
    at: JournalKey & { number: number },
    change: AppliedChange,
  ): Promise<Buffer> {
    return this.vault.seal(organizationId, await pack(JSON.stringify(change)), sealContext(at));
  }

  private async openRow(row: DeploymentChange): Promise<AppliedChange> {
    const content = await unpack(await this.vault.open(row.content, sealContext(row)));
    return JSON.parse(content.toString()) as AppliedChange;
  }
}

/** The associated data of a sealed change. */
const sealContext = ({ deploymentId, connectionId, number }: JournalKey & { number: number }): string =>
  `deployment ${deploymentId} change ${connectionId} ${number}`;
