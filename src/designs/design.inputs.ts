import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsArray, IsOptional, isUUID, IsString } from 'class-validator';
import { type Fault, InvalidRequest } from '../core/errors/app-error.js';
import { UpdatesView } from '../core/rest/read-only-fields.js';
import { UpdateInput } from '../core/rest/input.pipe.js';
import { KeepPacked } from '../core/json/packed-json.js';
import { FlagInput, IdInput, MapInput, NameInput, TextInput, WordInput } from '../core/schema/input-fields.js';
import {
  SETTABLE_VISIBILITIES,
  VISIBILITIES,
  type Visibility,
} from '../workspaces/workspace-owned/workspace-owned.entity.js';
import { WorkspaceOwnedQuery } from '../workspaces/workspace-owned/workspace-owned.query.js';
import { DesignView } from './design.view.js';

@UpdatesView(() => DesignView)
export class NewDesign {
  @NameInput()
  name!: string;

  @KeepPacked('design_file', 'designFile')
  @MapInput({ description: 'Holds `design_file` (object or text) or `pattern_file` (text or base64).' })
  pattern_data!: Record<string, unknown>;

  @FlagInput({ optional: true, description: 'False only parses and answers the design.' })
  save?: boolean;

  @IdInput({ optional: true, description: "The caller's default workspace when it is left out." })
  workspace_id?: string;

  @IdInput({ optional: true })
  organization_id?: string;

  @WordInput(SETTABLE_VISIBILITIES, { optional: true })
  visibility?: 'workspace' | 'organization';
}

@UpdatesView(() => DesignView)
export class DesignChange extends UpdateInput {
  @IdInput({ optional: true })
  id?: string;

  @NameInput({ optional: true })
  name?: string;

  @KeepPacked('design_file', 'designFile')
  @MapInput({ optional: true })
  pattern_data?: Record<string, unknown>;

  @FlagInput({ optional: true })
  save?: boolean;

  @WordInput(VISIBILITIES, { optional: true, description: '`public` only as it is stored; publishing sets it.' })
  visibility?: Visibility;

  @TextInput({ optional: true, max: 1000, description: 'What was changed, kept with the version.' })
  message?: string;
}

/** The text fields of an import; the file is an upload, or `file` in base64, or behind `url`. */
export class DesignImport {
  @NameInput({ optional: true })
  name?: string;

  @TextInput({ optional: true, max: 10_000, description: 'Fetched by the server.' })
  url?: string;

  @TextInput({ optional: true, max: 10_000_000, description: 'The file in base64.' })
  file?: string;

  @TextInput({ optional: true, max: 1000 })
  file_name?: string;

  @IdInput({ optional: true })
  workspace_id?: string;

  @IdInput({ optional: true })
  organization_id?: string;

  /** Helm values: YAML text, or an object. */
  @ApiPropertyOptional({ description: 'Helm values as YAML text or object.' })
  @IsOptional()
  values?: string | Record<string, unknown>;

  /** Variables for a Compose file: an object, or the text of a .env file. */
  @ApiPropertyOptional({ description: 'Compose variables as an object or as the text of a .env file.' })
  @IsOptional()
  env?: string | Record<string, unknown>;
}

export class BulkDeletion {
  @ApiProperty({ type: 'array', items: { type: 'object', properties: { id: { type: 'string', format: 'uuid' } } } })
  @IsArray({ message: 'must be a list of objects with an id' })
  patterns!: unknown[];

  /** @throws InvalidRequest naming each entry that has no id */
  parseIds(): string[] {
    const errors: Fault[] = [];
    const ids = this.patterns.map((entry, index) => {
      const id: unknown = typeof entry === 'object' && entry !== null ? Reflect.get(entry, 'id') : entry;
      if (typeof id === 'string' && isUUID(id, 'all')) return id.toLowerCase();
      errors.push({ pointer: `/patterns/${index}/id`, detail: 'must be a UUID' });
      return '';
    });
    if (errors.length > 0) throw new InvalidRequest('every entry of patterns must have the id of a design', { errors });
    return ids;
  }
}

export class DesignListQuery extends WorkspaceOwnedQuery {
  @ApiPropertyOptional()
  @IsOptional()
  @IsString({ message: 'must be given once' })
  source_type?: string;
}
