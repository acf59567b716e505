import { PaginatedView } from '../core/listing/page.js';
import { IntField, RecordsField, TextField } from '../core/schema/view-fields.js';
import type { CategorySummary } from './models/models.store.js';
import type { RegistrySummary } from './registry-summary.store.js';

export class CategorySummaryView implements CategorySummary {
  @TextField({ rest: true })
  name!: string;

  @TextField({ rest: true })
  slug!: string;

  @IntField({ rest: true })
  models_count!: number;

  @IntField({ rest: true })
  components_count!: number;
}

export const CategoryPage = PaginatedView(CategorySummaryView, 'categories', 'CategoryPage');

export class RegistrySummaryView implements RegistrySummary {
  @IntField({ rest: true })
  models!: number;

  @IntField({ rest: true })
  components!: number;

  @IntField({ rest: true })
  relationships!: number;

  @IntField({ rest: true })
  registrants!: number;

  @RecordsField(() => CategorySummaryView, { rest: true })
  categories!: CategorySummaryView[];
}
