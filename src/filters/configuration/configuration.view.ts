import { ObjectType } from '@nestjs/graphql';
import type { PageEnvelope } from '../../core/listing/page.js';
import { RecordField } from '../../core/schema/view-fields.js';
import { DesignPage } from '../../designs/design.view.js';
import { FilterPage } from '../filter.view.js';

/** A page of designs and a page of filters, limited to the records that the subscriber may read. */
@ObjectType('ConfigurationPage', { description: 'Designs and filters as they are now.' })
export class ConfigurationPage {
  @RecordField(() => DesignPage, { nullable: true, description: 'The designs.' })
  patterns!: PageEnvelope;

  @RecordField(() => FilterPage, { nullable: true, description: 'The filters.' })
  filters!: PageEnvelope;
}
