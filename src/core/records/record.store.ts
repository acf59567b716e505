import type { EntityTarget, SelectQueryBuilder } from 'typeorm';
import type { Actor } from '../access/actor.js';
import type { BaseEntity } from '../database/base.entity.js';
import { Store } from '../database/store.js';
import type { UnitOfWork } from '../database/unit-of-work.js';

/** A store whose queries return only records that the actor may see. */
export abstract class RecordStore<E extends BaseEntity> extends Store<E> {
  protected constructor(
    unit: UnitOfWork,
    entity: EntityTarget<E>,
    alias: string,
    /** `for_no_key_update` for records that concurrent inserts reference by foreign key. */
    private readonly lockMode: 'pessimistic_write' | 'for_no_key_update' = 'pessimistic_write',
  ) {
    super(unit, entity, alias);
  }

  find(actor: Actor, id: string, withDeleted = false): Promise<E | null> {
    return this.getOne(this.selectOne(actor, id, withDeleted));
  }

  /** Returns the record, locked until the end of the unit of work. */
  lock(actor: Actor, id: string, withDeleted = false): Promise<E | null> {
    return this.getOne(this.selectOne(actor, id, withDeleted).setLock(this.lockMode));
  }

  /** Returns the visible records among these ids, by id. */
  async findAll(actor: Actor, ids: readonly string[]): Promise<Map<string, E>> {
    const found = await this.getMany(this.visibleTo(actor).andWhere(`${this.alias}.id = ANY(:ids)`, { ids }));
    return new Map(found.map((record) => [record.id, record]));
  }

  protected abstract visibleTo(actor: Actor): SelectQueryBuilder<E>;

  private selectOne(actor: Actor, id: string, withDeleted: boolean): SelectQueryBuilder<E> {
    const rows = this.visibleTo(actor).andWhere(`${this.alias}.id = :id`, { id });
    return withDeleted ? rows.withDeleted() : rows;
  }
}
