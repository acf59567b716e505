import { Injectable } from '@nestjs/common';
import { Store } from '../../core/database/store.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Registrant } from './registrant.entity.js';

@Injectable()
export class RegistrantsStore extends Store<Registrant> {
  constructor(unit: UnitOfWork) {
    super(unit, Registrant, 'registrant');
  }

  list(): Promise<Registrant[]> {
    return this.createQueryBuilder().orderBy('registrant.kind').addOrderBy('registrant.hostname').getMany();
  }

  async findAll(ids: readonly string[]): Promise<Map<string, Registrant>> {
    const found = await this.createQueryBuilder().where('registrant.id = ANY(:ids)', { ids }).getMany();
    return new Map(found.map((each) => [each.id, each]));
  }
}
