import { EXAMPLE_DESIGN, InputForms } from '../../core/schema/field-examples.js';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsDefined, IsOptional, ValidateBy } from 'class-validator';
import {
  isFormFlag,
  FormFlagInput,
  IdInput,
  MapInput,
  NameInput,
  TextInput,
  WordInput,
} from '../../core/schema/input-fields.js';
import { HasCheckedMembers, HasMembers, type MemberRule } from '../../core/schema/members.js';
import { FREE_OBJECT } from '../../core/schema/view-fields.js';
import { isList, KeepPacked, PackedJson } from '../../core/json/packed-json.js';
import type { JsonObject } from '../../core/json/json.js';
import { STATUS_INPUTS } from './entry-status.js';

const DEFINITIONS = [
  {
    schemaVersion: 'models.meshery.io/v1beta1',
    name: 'shop',
    category: { name: 'App Definition' },
    model: { version: '1.0.0' },
  },
  {
    schemaVersion: 'components.meshery.io/v1beta1',
    component: { kind: 'Shop', version: 'example.org/v1', schema: { type: 'object' } },
    model: { name: 'shop', category: { name: 'App Definition' }, model: { version: '1.0.0' } },
  },
];

const FILLED = { type: 'string', minLength: 1 };

const RESOURCE_DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'shops.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'shops', kind: 'Shop' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

/** A package: an upload, `file` in base64, or `url`. */
@InputForms({
  url: { url: 'https://example.com/model.tar.gz' },
  file: { file: Buffer.from(JSON.stringify(DEFINITIONS)).toString('base64'), file_name: 'shop.json' },
})
export class PackageInput {
  @TextInput({ optional: true, description: 'The URL of a package, which the server fetches.' })
  url?: string;

  @TextInput({ optional: true, max: 70_000_000, description: 'The package in base64.' })
  file?: string;

  @TextInput({ optional: true, max: 1000 })
  file_name?: string;

  @FormFlagInput('False only checks the package and says what would be registered.')
  register?: boolean | string;

  @FormFlagInput('true registers all entities or none.')
  atomic?: boolean | string;
}

@InputForms({
  example: {
    modelName: 'shop',
    components: [{ kind: 'Shop', apiVersion: 'example.org/v1', schema: { type: 'object' } }],
  },
})
export class ComponentsInput {
  @NameInput({ description: 'The model that the components belong to; it is created when it is not registered.' })
  modelName!: string;

  @TextInput({
    optional: true,
    max: 255,
    description: 'Its version; default: the highest that is registered.',
  })
  version?: string;

  @ApiProperty({
    type: 'array',
    minItems: 1,
    items: FREE_OBJECT,
    description: 'Definitions with kind, apiVersion and schema.',
  })
  @KeepPacked()
  @IsDefined({ message: 'is required' })
  @ValidateBy({ name: 'isList', validator: { validate: isList } }, { message: 'must be a list' })
  components!: JsonObject[] | PackedJson;

  @FormFlagInput('true registers all entities or none.')
  atomic?: boolean | string;
}

export class StatusInput {
  @IdInput()
  id!: string;

  @WordInput(STATUS_INPUTS)
  status!: (typeof STATUS_INPUTS)[number];
}

@InputForms({
  example: {
    component: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { colour: 'blue' } },
  },
})
export class ValidationInput {
  @MapInput({
    description: 'A resource with apiVersion and kind, or a component of a design.',
    forms: [
      { properties: { apiVersion: FILLED, kind: FILLED }, required: ['apiVersion', 'kind'] },
      {
        properties: {
          component: { type: 'object', properties: { version: FILLED, kind: FILLED }, required: ['version', 'kind'] },
        },
        required: ['component'],
      },
    ],
  })
  component!: JsonObject;

  @TextInput({ optional: true, max: 255, description: 'The model whose schema applies.' })
  model?: string;
}

export const GENERATION_KINDS = ['crd', 'openapi', 'helm', 'cluster'] as const;

const isFilledText: MemberRule = (value) => (typeof value === 'string' && value !== '' ? undefined : 'must be text');

@InputForms({
  text: {
    source: JSON.stringify(RESOURCE_DEFINITION),
    config: { kind: 'crd', model: 'shop', register: false },
  },
  url: { source: 'https://charts.example.com/shop-1.0.0.tgz', config: { kind: 'helm', model: 'shop' } },
})
export class GenerationInput {
  @TextInput({ max: 70_000_000, description: 'A URL, or the text of the source.' })
  source!: string;

  @HasCheckedMembers({
    kind: (value) =>
      GENERATION_KINDS.some((kind) => kind === value) ? undefined : `must be one of ${GENERATION_KINDS.join(', ')}`,
    model: isFilledText,
    version: isFilledText,
    category: isFilledText,
    register: (value) => (isFormFlag(value) ? undefined : 'must be true or false'),
    connection_id: isFilledText,
  })
  @MapInput({
    optional: true,
    description: 'What is generated, and where it is registered.',
    members: {
      kind: { type: 'string', enum: GENERATION_KINDS, description: 'Default: detected by content.' },
      model: { type: 'string', minLength: 1, description: 'The name of the model.' },
      version: { type: 'string', minLength: 1, description: 'The version of the model.' },
      category: { type: 'string', minLength: 1, description: 'The category of the model.' },
      register: { type: 'boolean', description: 'False only returns what would be registered.' },
      connection_id: {
        type: 'string',
        minLength: 1,
        description: 'The connection of kind kubernetes to generate from.',
      },
    },
  })
  config?: JsonObject;
}

@InputForms({ example: { design: EXAMPLE_DESIGN } })
export class EvaluationInput {
  @KeepPacked()
  @MapInput({ description: 'A design file.' })
  design!: JsonObject | PackedJson;

  @HasMembers('namespace', 'applyPatches', 'limit', 'returnDiffOnly', 'enableTrace')
  @MapInput({
    optional: true,
    description: 'How it is evaluated.',
    members: {
      namespace: { type: 'string', description: 'The namespace of components that name none.' },
      applyPatches: { type: 'boolean', description: 'Whether patches of relationships change the design.' },
      limit: { type: 'number', minimum: 0, description: 'The number of relationships that are found at most.' },
      returnDiffOnly: { type: 'boolean', description: 'Whether the design has only what changed.' },
      enableTrace: { type: 'boolean', description: 'False leaves the trace out.' },
    },
  })
  options?: JsonObject;
}

export class SchemaQuery {
  @ApiPropertyOptional({ description: 'The model, by name.' })
  @IsOptional()
  model?: string;

  @ApiPropertyOptional({ description: 'The version of the model.' })
  @IsOptional()
  version?: string;

  @ApiPropertyOptional({ description: 'The apiVersion of the kind.' })
  @IsOptional()
  apiVersion?: string;
}

export class ExportQuery {
  @ApiProperty({ minLength: 1, description: 'Name of the model.' })
  @IsOptional()
  model?: string;

  @ApiPropertyOptional({ description: 'The version; default: all versions.' })
  @IsOptional()
  version?: string;

  @ApiPropertyOptional({ description: 'Selects one of several registrants: id, kind or host name.' })
  @IsOptional()
  registrant?: string;
}
