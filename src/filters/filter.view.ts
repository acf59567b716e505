import { PUBLISHED_MEMBERS } from '../catalog/catalog-data.js';
import { DesignLocationView } from '../designs/design-location.view.js';
import { ObjectType } from '@nestjs/graphql';
import { CONTENTS_WEIGHT } from '../core/graphql/limits/query-size.js';
import { PaginatedView } from '../core/listing/page.js';
import { IdField, IntField, MapField, TextField, TextsField, WordField } from '../core/schema/view-fields.js';
import { PreviewOf } from '../core/rest/openapi/schemas.js';
import { RecordView } from '../core/schema/record.view.js';
import type { DesignLocation } from '../designs/design.entity.js';
import { VISIBILITIES, type Visibility } from '../workspaces/workspace-owned/workspace-owned.entity.js';
import type { Filter, FilterOrigin } from './filter.entity.js';
import type { ModuleFacts } from './wasm/module-facts.js';

/** The opened content of a filter. */
export interface FilterContent {
  /** The configuration; empty when there is none. */
  resource: string;
  /** The module in base64; empty unless requested. */
  file?: string;
}

/** A filter as the catalog shows it. */
/** What a module says of itself; exports and imports by name, 200 at most. */
class ModuleFactsView implements ModuleFacts {
  @TextField({
    rest: true,
    nullable: true,
    description: 'The version of the ABI of proxy-wasm; null for other modules.',
  })
  abi!: string | null;

  @TextsField({ rest: true })
  exports!: string[];

  @TextsField({ rest: true, description: 'As `module.name`.' })
  imports!: string[];

  @IntField({ rest: true, description: 'How many exports there are.' })
  exports_count!: number;

  @IntField({ rest: true, description: 'How many imports there are.' })
  imports_count!: number;
}

@ObjectType('CatalogFilter', { description: 'A published WebAssembly filter.' })
export class CatalogFilterView extends RecordView {
  @TextField()
  name!: string;

  @IdField({ description: 'The user who owns it.' })
  user_id!: string;

  @WordField(VISIBILITIES)
  visibility!: Visibility;

  @TextField({
    nullable: true,
    weight: CONTENTS_WEIGHT,
    description:
      'The module in base64. Empty in lists over REST unless populate=filter_file, and when it is larger than a JSON body may be: take it from the download.',
  })
  filter_file!: string;

  @TextField({
    nullable: true,
    weight: CONTENTS_WEIGHT,
    description: 'The configuration as it was sent; an object as JSON.',
  })
  filter_resource!: string;

  @MapField({ members: PUBLISHED_MEMBERS, nullable: true })
  catalog_data!: Record<string, unknown>;

  @IntField({ rest: true, description: 'Bytes of the module.' })
  size!: number;

  @TextField({ rest: true, description: 'sha256: and the hex digits of the digest of the module.' })
  digest!: string;

  @MapField({ of: () => ModuleFactsView, rest: true, description: 'What the module says of itself.' })
  metadata!: ModuleFacts;

  @IntField({ rest: true })
  clone_count!: number;

  @IntField({ rest: true })
  download_count!: number;

  static fromEntity(this: void, filter: Filter, opened: FilterContent): CatalogFilterView {
    return RecordView.assignRecord(new CatalogFilterView(), filter, sharedFields(filter, opened));
  }
}

/** The filter that another was cloned from, at that time. */
export class FilterOriginView implements FilterOrigin {
  @IdField({ rest: true })
  id!: string;

  @TextField({ rest: true })
  name!: string;

  @TextField({ rest: true, description: 'The digest of its module.' })
  digest!: string;
}

@ObjectType('FilterResult', { description: 'A WebAssembly filter.' })
export class FilterView extends CatalogFilterView {
  @IdField({ rest: true })
  workspace_id!: string;

  @IdField({ rest: true })
  organization_id!: string;

  @MapField({ of: () => DesignLocationView, nullable: true })
  location!: DesignLocation;

  @MapField({
    of: () => FilterOriginView,
    rest: true,
    nullable: true,
    description: 'The filter that this one was made of.',
  })
  cloned_from!: FilterOrigin | null;

  static override fromEntity(this: void, filter: Filter, opened: FilterContent): FilterView {
    return RecordView.assignRecord(new FilterView(), filter, {
      ...sharedFields(filter, opened),
      workspace_id: filter.workspaceId,
      organization_id: filter.organizationId,
      location: filter.location,
      cloned_from: filter.clonedFrom,
    });
  }
}

function sharedFields(
  filter: Filter,
  { resource, file = '' }: FilterContent,
): Omit<CatalogFilterView, keyof RecordView> {
  return {
    name: filter.name,
    user_id: filter.userId,
    visibility: filter.visibility,
    filter_file: file,
    filter_resource: resource,
    catalog_data: filter.catalogData,
    size: filter.size,
    digest: filter.digest,
    metadata: filter.metadata,
    clone_count: filter.cloneCount,
    download_count: filter.downloadCount,
  };
}

/** A filter that was checked and not stored. */
export const FilterPreviewView = PreviewOf(FilterView, 'FilterPreviewView');

export const FilterPage = PaginatedView(FilterView, 'filters', 'FilterPage');
export const CatalogFilterPage = PaginatedView(CatalogFilterView, 'filters', 'CatalogFilterPage');
