import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, IsUUID } from 'class-validator';
import { OrganizationListQuery } from '../core/listing/list-query.js';
import { Writes } from '../core/rest/change-input.js';
import { ChangeOnly } from '../core/rest/input.pipe.js';
import { FormFlagInput, IdInput, MapInput, NameInput, TextInput, WordInput } from '../core/schema/input-fields.js';
import { VISIBILITIES, type Visibility } from '../designs/design.entity.js';
import { FilterView } from './filter.view.js';

/** Visibilities that are set directly; `public` is set by publishing. */
export const SET_VISIBILITIES = ['workspace', 'organization'] as const;
const FILTER_DATA = '`filter_file` is the module in base64, `name` the name of the filter.';
const URL_DESCRIPTION = 'Where the module is fetched from by the server.';

/** The configuration of a filter; `readConfig` judges it. */
const ConfigInput = (): PropertyDecorator => (target, key) => {
  const description = 'The configuration of the filter: text, or an object, which is kept as JSON.';
  ApiPropertyOptional({ description, nullable: true, oneOf: [{ type: 'string' }, { type: 'object' }] })(target, key);
  IsOptional()(target, key);
};

/** The module is an upload, `filter_data.filter_file` in base64, or behind `url`. */
@Writes(() => FilterView)
export class NewFilter {
  @NameInput({ optional: true, description: "Else `filter_data.name`, else the module's file name." })
  name?: string;

  @MapInput({ optional: true, description: FILTER_DATA })
  filter_data?: Record<string, unknown>;

  @TextInput({ optional: true, description: URL_DESCRIPTION })
  url?: string;

  @ConfigInput()
  config?: unknown;

  @FormFlagInput('False only checks the module and answers what it would be.')
  save?: boolean | string;

  @IdInput({ optional: true, description: "The caller's default workspace when it is left out." })
  workspace_id?: string;

  @IdInput({ optional: true })
  organization_id?: string;

  @WordInput(SET_VISIBILITIES, { optional: true })
  visibility?: 'workspace' | 'organization';
}

@Writes(() => FilterView)
export class FilterChange extends ChangeOnly {
  @NameInput({ optional: true })
  name?: string;

  @MapInput({ optional: true, description: FILTER_DATA })
  filter_data?: Record<string, unknown>;

  @TextInput({ optional: true, description: URL_DESCRIPTION })
  url?: string;

  @ConfigInput()
  config?: unknown;

  @WordInput(VISIBILITIES, { optional: true, description: '`public` only when it is published already.' })
  visibility?: Visibility;
}

export class FilterCopy {
  @NameInput({ optional: true, description: 'The name of the source with " (copy)" when it is left out.' })
  name?: string;

  @IdInput({ optional: true, description: "The caller's default workspace when it is left out." })
  workspace_id?: string;

  @IdInput({ optional: true })
  organization_id?: string;
}

export class FilterListQuery extends OrganizationListQuery {
  @ApiPropertyOptional({ description: 'filter_file fills the field of that name.' })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  populate?: string;

  @ApiPropertyOptional({ description: 'workspace, organization or public; several are separated by commas.' })
  @IsOptional()
  visibility?: string | string[];

  @ApiPropertyOptional({ format: 'uuid' })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  workspace_id?: string;

  /** Bounds of the time of creation, and of the last change, from GraphQL's PageFilter. */
  from?: string;
  to?: string;
  updated_after?: string;
}
