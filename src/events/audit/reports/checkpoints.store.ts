import { Injectable } from '@nestjs/common';
import { EntitySelect } from '../../../core/database/entity-select.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import type { ListQuery } from '../../../core/listing/list-query.js';
import type { Listing } from '../../../core/listing/listing.js';
import type { Page } from '../../../core/listing/page.js';
import { paginate } from '../../../core/listing/paginate.js';
import { AuditCheckpoint } from '../audit.entity.js';

const listing: Listing<AuditCheckpoint> = {
  alias: 'checkpoint',
  pageSize: 20,
  order: {
    sequence: { sql: 'checkpoint.sequence', type: 'bigint', getValue: ({ sequence }) => sequence },
    created_at: { sql: 'checkpoint.created_at', type: 'timestamptz', getValue: ({ createdAt }) => createdAt },
  },
  defaultOrder: 'sequence desc',
  search: ['checkpoint.hash'],
};

/** The signed heads of chains. Queries run as the system. */
@Injectable()
export class CheckpointsStore {
  private readonly select = new EntitySelect<AuditCheckpoint>();

  constructor(private readonly unit: UnitOfWork) {}

  page(chain: string, query: ListQuery): Promise<Page<AuditCheckpoint>> {
    return paginate(this.selectChain(chain), listing, query, {
      getMany: (page, options) => this.select.getMany(this.unit.manager, page, options),
    });
  }

  find(chain: string, sequence: string): Promise<AuditCheckpoint | null> {
    return this.select.getOne(
      this.unit.manager,
      this.selectChain(chain).andWhere('checkpoint.sequence = :sequence', { sequence }),
    );
  }

  findLast(chain: string): Promise<AuditCheckpoint | null> {
    return this.select.getOne(
      this.unit.manager,
      this.selectChain(chain).orderBy('checkpoint.sequence', 'DESC').limit(1),
    );
  }

  /** Returns the checkpoints with numbers after `after` up to `through`, oldest first. */
  async findBetween(chain: string, after: string, through: string): Promise<AuditCheckpoint[]> {
    const rows = this.selectChain(chain)
      .andWhere('checkpoint.sequence > :after AND checkpoint.sequence <= :through', { after, through })
      .orderBy('checkpoint.sequence', 'ASC');
    return (await this.select.getMany(this.unit.manager, rows, { isNamed: true })).records;
  }

  async insert(checkpoint: AuditCheckpoint): Promise<AuditCheckpoint> {
    await this.unit.manager.getRepository(AuditCheckpoint).insert(checkpoint);
    return checkpoint;
  }

  /** Lists up to `most` chains with new entries since their last checkpoint, ordered by id, starting at the id `after`. */
  async listUnsigned(after: string, most: number): Promise<string[]> {
    const rows = await this.unit.manager.query<{ chain: string }[]>(
      `SELECT chain FROM audit_chain c
        WHERE c.chain >= $1 AND NOT EXISTS (SELECT FROM audit_checkpoint p WHERE p.chain = c.chain AND p.sequence = c.last)
        ORDER BY c.chain LIMIT $2`,
      [after, most],
    );
    return rows.map(({ chain }) => chain);
  }

  /** Lists for each chain the last signed head whose entry still exists and is older than `seconds` by the clock of the database. */
  listExpired(seconds: number): Promise<{ chain: string; sequence: string }[]> {
    return this.unit.manager.query<{ chain: string; sequence: string }[]>(
      `SELECT c.chain, signed.sequence FROM audit_chain c CROSS JOIN LATERAL (
         SELECT p.sequence FROM audit_checkpoint p JOIN audit_entry e ON e.chain = p.chain AND e.sequence = p.sequence
          WHERE p.chain = c.chain AND e.created_at < now() - $1 * interval '1 second' ORDER BY p.sequence DESC LIMIT 1) AS signed`,
      [seconds],
    );
  }

  private selectChain(chain: string) {
    return this.unit.manager
      .getRepository(AuditCheckpoint)
      .createQueryBuilder('checkpoint')
      .where('checkpoint.chain = :chain', { chain });
  }
}
