import { EXAMPLE_DESIGN, EXAMPLE_ID, EXAMPLE_MANIFEST, InputForms } from '../core/schema/field-examples.js';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayNotEmpty, IsArray, IsOptional, isUUID, IsUUID } from 'class-validator';
import { type Fault, InvalidRequest } from '../core/errors/app-error.js';
import { CatalogQuery } from '../catalog/catalog.inputs.js';
import { OrganizationQuery } from '../core/listing/list-query.js';
import { PopulateParameter, WordParameter } from '../core/listing/words.js';
import { UpdatesView } from '../core/rest/read-only-fields.js';
import { UpdateInput } from '../core/rest/input.pipe.js';
import { KeepPacked } from '../core/json/packed-json.js';
import { HasMembers } from '../core/schema/members.js';
import {
  FlagInput,
  FormFlagInput,
  IdInput,
  MapInput,
  NameInput,
  parseFlag,
  TEXT_OR_OBJECT,
  TextInput,
  WordInput,
} from '../core/schema/input-fields.js';
import { FREE_OBJECT } from '../core/schema/view-fields.js';
import {
  SETTABLE_VISIBILITIES,
  VISIBILITIES,
  type Visibility,
} from '../workspaces/workspace-owned/workspace-owned.entity.js';
import { WorkspaceOwnedQuery } from '../workspaces/workspace-owned/workspace-owned.query.js';
import { DesignView } from './design.view.js';
import { SOURCE_TYPES, SOURCE_TYPE_SEGMENTS } from './formats/source-type.js';
import { PATTERN_MEMBERS } from './pattern-data.js';
import type { SourceSettings } from './source-settings.js';

const TEXT = { type: 'string' };
const TEXT_LIST = [{ type: 'array', items: TEXT }, TEXT];
/** The members of `pattern_data`: what is also sent beside it, and the content. */
const PATTERN_DATA: Record<(typeof PATTERN_MEMBERS)[number], object> = {
  id: {},
  name: {},
  design_file: { oneOf: TEXT_OR_OBJECT },
  pattern_file: TEXT,
  values: { oneOf: TEXT_OR_OBJECT },
  env: { oneOf: TEXT_OR_OBJECT },
  namespace: TEXT,
  release_name: TEXT,
  path: TEXT,
  kube_version: TEXT,
  api_versions: { oneOf: TEXT_LIST },
};

@UpdatesView(() => DesignView)
@InputForms({
  object: { name: 'shop', pattern_data: { design_file: EXAMPLE_DESIGN } },
  text: { name: 'shop', pattern_data: { pattern_file: JSON.stringify(EXAMPLE_DESIGN) } },
  'only parsed': { name: 'shop', pattern_data: { design_file: EXAMPLE_DESIGN }, save: false },
})
export class NewDesign {
  @NameInput({ optional: true, description: 'Else `pattern_data.name`; one of both is required.' })
  name?: string;

  @KeepPacked('design_file', 'designFile')
  @HasMembers(...PATTERN_MEMBERS)
  @MapInput({
    description: 'Holds `design_file` (object or text) or `pattern_file` (text or base64), and settings of its source.',
    members: PATTERN_DATA,
  })
  pattern_data!: Record<string, unknown>;

  @FlagInput({ optional: true, description: 'False only parses the design and returns it.' })
  save?: boolean;

  @IdInput({ optional: true, description: "Default: the caller's default workspace." })
  workspace_id?: string;

  @IdInput({ optional: true })
  organization_id?: string;

  @WordInput(SETTABLE_VISIBILITIES, { optional: true })
  visibility?: 'workspace' | 'organization';
}

/** The source of a design: an upload in the form field `file`, `file` in base64, or at `url`; and its options. */
export class DesignSourceInput extends UpdateInput implements SourceSettings {
  @TextInput({ optional: true, max: 10_000, description: 'Fetched by the server.' })
  url?: string;

  @TextInput({ optional: true, max: 10_000_000, description: 'The file in base64.' })
  file?: string;

  @TextInput({ optional: true, max: 1000 })
  file_name?: string;

  @TextInput({ optional: true, max: 1000, description: 'The folder or file of an archive to import.' })
  path?: string;

  /** Helm values: YAML text, or an object. */
  @ApiPropertyOptional({ oneOf: TEXT_OR_OBJECT, description: 'Helm values as YAML text or object.' })
  @IsOptional()
  values?: string | Record<string, unknown>;

  @TextInput({ optional: true, max: 63, description: 'The namespace that a Helm chart is rendered for.' })
  namespace?: string;

  @TextInput({ optional: true, max: 53, description: 'The name of the release that a Helm chart is rendered for.' })
  release_name?: string;

  @TextInput({
    optional: true,
    max: 100,
    description:
      'The version of Kubernetes that a Helm chart is imported for; default: that of the registry. Deployments render for their cluster.',
  })
  kube_version?: string;

  @ApiPropertyOptional({
    oneOf: TEXT_LIST,
    description:
      'More of `.Capabilities.APIVersions` at the import of a Helm chart: `group/version` or `group/version/Kind`, as a list or with commas.',
  })
  @IsOptional()
  api_versions?: string | string[];

  /** Variables for a Compose file: an object, or the text of a .env file. */
  @ApiPropertyOptional({
    oneOf: TEXT_OR_OBJECT,
    description: 'Compose variables as an object or as the text of a .env file.',
  })
  @IsOptional()
  env?: string | Record<string, unknown>;

  @TextInput({ optional: true, max: 1000, description: 'A description of the change, stored with the version.' })
  message?: string;
}

@UpdatesView(() => DesignView)
@InputForms({
  rename: { name: 'shop' },
  content: { pattern_data: { design_file: EXAMPLE_DESIGN }, message: 'Raise the memory limit.' },
  file: { file: Buffer.from(EXAMPLE_MANIFEST).toString('base64'), file_name: 'settings.yaml' },
})
export class DesignChange extends DesignSourceInput {
  @IdInput({ optional: true })
  id?: string;

  @NameInput({ optional: true })
  name?: string;

  @KeepPacked('design_file', 'designFile')
  @HasMembers(...PATTERN_MEMBERS)
  @MapInput({
    optional: true,
    description: 'As in creation; content may also be sent as `file`.',
    members: PATTERN_DATA,
  })
  pattern_data?: Record<string, unknown>;

  @FormFlagInput('False only parses the change and returns the design.')
  save?: boolean | string;

  @WordInput(VISIBILITIES, { optional: true, description: '`public` only as it is stored; publishing sets it.' })
  visibility?: Visibility;

  @ApiPropertyOptional({
    type: 'array',
    items: FREE_OBJECT,
    description: 'Taken from the response to a change that is sent back, and left as it is.',
  })
  @IsOptional()
  @IsArray({ message: 'must be a list' })
  warnings?: unknown[];
}

@InputForms({
  file: { file: Buffer.from(EXAMPLE_MANIFEST).toString('base64'), file_name: 'settings.yaml' },
  url: { url: 'https://example.com/shop.yaml', name: 'shop' },
  'next version': {
    file: Buffer.from(EXAMPLE_MANIFEST).toString('base64'),
    file_name: 'settings.yaml',
    id: EXAMPLE_ID,
  },
  'only parsed': { file: Buffer.from(EXAMPLE_MANIFEST).toString('base64'), file_name: 'settings.yaml', save: false },
  'what runs': { connection_id: EXAMPLE_ID, workspace_id: EXAMPLE_ID, namespaces: ['shop'], preview: true },
})
export class DesignImport extends DesignSourceInput {
  @IdInput({
    optional: true,
    description: 'The design that gets this as its next version; default: a new design.',
  })
  id?: string;

  @NameInput({ optional: true })
  name?: string;

  @WordInput(SOURCE_TYPE_SEGMENTS, { optional: true, description: 'The format; default: detected by content.' })
  type?: string;

  @FormFlagInput('False only parses the file and returns the design.')
  save?: boolean | string;

  @FormFlagInput('True changes nothing, and returns what would be imported; the same as `save: false`.')
  preview?: boolean | string;

  @IdInput({
    optional: true,
    description: 'In place of a file: makes designs of what runs in namespaces of this cluster.',
  })
  connection_id?: string;

  @ApiPropertyOptional({
    oneOf: [
      { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 50 },
      { type: 'string', enum: ['all'] },
    ],
    description: 'Of `connection_id`: names of namespaces, or `all`.',
  })
  @IsOptional()
  namespaces?: string[] | 'all';

  @TextInput({
    optional: true,
    max: 1000,
    description: 'Of `connection_id`: only objects with labels that this selector matches, as kubectl takes it.',
  })
  selector?: string;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    maxItems: 100,
    description:
      'Of `connection_id`: only these kinds, such as `Deployment` or `deployments.apps`; default: all but definitions.',
  })
  @IsOptional()
  kinds?: string[];

  @FormFlagInput('Of `connection_id`: also takes in what Argo CD, Flux or an operator manage.')
  include_owned?: boolean | string;

  @IdInput({ optional: true })
  workspace_id?: string;

  @IdInput({ optional: true })
  organization_id?: string;
}

/** Whether an import stores what it reads. */
export const isSaved = ({ save, preview }: Pick<DesignImport, 'save' | 'preview'>): boolean =>
  parseFlag(save, true) && !parseFlag(preview, false);

export class BulkDeletion {
  @ApiProperty({
    type: 'array',
    minItems: 1,
    items: { type: 'object', properties: { id: { type: 'string', format: 'uuid' } }, required: ['id'] },
  })
  @IsArray({ message: 'must be a list of objects with an id' })
  @ArrayNotEmpty({ message: 'must not be empty' })
  @HasMembers('id')
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

/** Content fields of designs that can be requested. */
const DESIGN_CONTENTS = ['pattern_file', 'source_content'];

export class DesignListQuery extends WorkspaceOwnedQuery {
  @PopulateParameter(DESIGN_CONTENTS)
  populate?: string;

  @WordParameter(SOURCE_TYPES, 'Only designs whose source was of this type.')
  source_type?: string;
}

/** The query of the catalog. */
export class DesignCatalogQuery extends CatalogQuery {
  @PopulateParameter(DESIGN_CONTENTS)
  populate?: string;
}

/** The query of a single design. */
export class DesignQuery extends OrganizationQuery {
  @PopulateParameter(DESIGN_CONTENTS)
  populate?: string;
}

/** The query of a validation. */
export class ValidationQuery {
  @ApiPropertyOptional({
    format: 'uuid',
    description: 'The environment of the workspace for which policies are evaluated.',
  })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  environment_id?: string;
}
