import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';

/** The stored numbers of records. */
@Injectable()
export class RecordTotalsStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** Merges the rows of each number into one. The sum does not change in any snapshot. */
  async fold(): Promise<void> {
    await this.unit.manager.query(
      `WITH parted AS (
         SELECT organization_id, record FROM record_total GROUP BY organization_id, record HAVING count(*) > 1
       ), folded AS (
         DELETE FROM record_total t USING parted p WHERE t.organization_id = p.organization_id AND t.record = p.record
         RETURNING t.organization_id, t.record, t.amount
       )
       INSERT INTO record_total (organization_id, record, amount)
       SELECT organization_id, record, sum(amount) FROM folded GROUP BY organization_id, record`,
    );
  }
}
