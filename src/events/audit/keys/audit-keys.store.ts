import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { AuditKey } from '../audit.entity.js';

/** The keys of the audit. Queries run as the system. */
@Injectable()
export class AuditKeysStore {
  constructor(private readonly unit: UnitOfWork) {}

  find(id: string): Promise<AuditKey | null> {
    return this.unit.manager.getRepository(AuditKey).findOneBy({ id });
  }

  /** Newest first. */
  list(): Promise<AuditKey[]> {
    return this.unit.manager.getRepository(AuditKey).find({ order: { createdAt: 'DESC', id: 'DESC' } });
  }

  /** Reports whether any chain has entries. */
  async hasChains(): Promise<boolean> {
    const [row] = await this.unit.manager.query<{ some: boolean }[]>('SELECT EXISTS (SELECT FROM audit_chain) AS some');
    return row?.some ?? false;
  }

  async insert(key: Omit<AuditKey, 'createdAt'>): Promise<void> {
    await this.unit.manager.getRepository(AuditKey).insert(key);
  }
}
