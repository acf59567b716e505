import { InputForms } from '../core/schema/field-examples.js';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { UpdatesView } from '../core/rest/read-only-fields.js';
import { UpdateInput } from '../core/rest/input.pipe.js';
import { HasMembers } from '../core/schema/members.js';
import {
  FormFlagInput,
  IdInput,
  MapInput,
  NameInput,
  TEXT_OR_OBJECT,
  TextInput,
  WordInput,
} from '../core/schema/input-fields.js';
import {
  SETTABLE_VISIBILITIES,
  VISIBILITIES,
  type Visibility,
} from '../workspaces/workspace-owned/workspace-owned.entity.js';
import { FilterView } from './filter.view.js';
import { CatalogQuery } from '../catalog/catalog.inputs.js';
import { PopulateParameter } from '../core/listing/words.js';
import { WorkspaceOwnedQuery } from '../workspaces/workspace-owned/workspace-owned.query.js';

const FILTER_DATA = '`filter_file` is the module in base64, `name` the name of the filter.';
const URL_DESCRIPTION = 'Where the module is fetched from by the server.';

/** The configuration of a filter; `parseConfig` validates it. */
const ConfigInput = (): PropertyDecorator => (target, key) => {
  const description = 'The configuration of the filter: text, or an object, which is stored as JSON.';
  ApiPropertyOptional({ description, nullable: true, oneOf: TEXT_OR_OBJECT })(target, key);
  IsOptional()(target, key);
};

/** The smallest module of WebAssembly, in base64. */
const EMPTY_MODULE = 'AGFzbQEAAAA=';

const FILTER_MEMBERS = { name: { type: 'string' }, filter_file: { type: 'string' } };

/** The module is an upload, `filter_data.filter_file` in base64, or fetched from `url`. */
@UpdatesView(() => FilterView)
@InputForms({
  file: { name: 'headers', filter_data: { filter_file: EMPTY_MODULE } },
  url: { url: 'https://example.com/headers.wasm' },
})
export class NewFilter {
  @NameInput({ optional: true, description: "Else `filter_data.name`, else the module's file name." })
  name?: string;

  @HasMembers('name', 'filter_file')
  @MapInput({ optional: true, description: FILTER_DATA, members: FILTER_MEMBERS })
  filter_data?: Record<string, unknown>;

  @TextInput({ optional: true, description: URL_DESCRIPTION })
  url?: string;

  @ConfigInput()
  config?: unknown;

  @FormFlagInput('False only checks the module and returns what it would be.')
  save?: boolean | string;

  @IdInput({ optional: true, description: "The caller's default workspace when it is left out." })
  workspace_id?: string;

  @IdInput({ optional: true })
  organization_id?: string;

  @WordInput(SETTABLE_VISIBILITIES, { optional: true })
  visibility?: 'workspace' | 'organization';
}

@UpdatesView(() => FilterView)
@InputForms({ rename: { name: 'headers' }, content: { filter_data: { filter_file: EMPTY_MODULE } } })
export class FilterChange extends UpdateInput {
  @NameInput({ optional: true })
  name?: string;

  @HasMembers('name', 'filter_file')
  @MapInput({ optional: true, description: FILTER_DATA, members: FILTER_MEMBERS })
  filter_data?: Record<string, unknown>;

  @TextInput({ optional: true, description: URL_DESCRIPTION })
  url?: string;

  @ConfigInput()
  config?: unknown;

  @WordInput(VISIBILITIES, { optional: true, description: '`public` only when it is published already.' })
  visibility?: Visibility;
}

/** Content fields that answers include only on request. */
const FILTER_CONTENTS = ['filter_file'];

export class FilterListQuery extends WorkspaceOwnedQuery {
  @PopulateParameter(FILTER_CONTENTS)
  populate?: string;
}

/** The query parameters of the filter catalog. */
export class FilterCatalogQuery extends CatalogQuery {
  @PopulateParameter(FILTER_CONTENTS)
  populate?: string;
}
