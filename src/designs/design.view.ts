import { PUBLISHED_MEMBERS } from '../catalog/catalog-data.js';
import { DesignLocationView } from './design-location.view.js';
import { isUtf8 } from 'node:buffer';
import { ObjectType } from '@nestjs/graphql';
import { CONTENTS_WEIGHT } from '../core/graphql/limits/query-size.js';
import { PaginatedView } from '../core/listing/page.js';
import {
  FlagField,
  IdField,
  IntField,
  MapField,
  RecordField,
  RecordsField,
  TextField,
  WordField,
} from '../core/schema/view-fields.js';
import type { Fault } from '../core/errors/app-error.js';
import { FaultView } from '../core/errors/fault.view.js';
import { PreviewOf } from '../core/rest/openapi/schemas.js';
import { RecordView } from '../core/schema/record.view.js';
import { VISIBILITIES, type Visibility } from '../workspaces/workspace-owned/workspace-owned.entity.js';
import type { Design, DesignLocation, CloneOrigin } from './design.entity.js';
import { SOURCE_TYPES } from './formats/source-type.js';

/** The version of a design that another was cloned from, at that time. */
export class CloneOriginView implements CloneOrigin {
  @IdField({ rest: true })
  id!: string;

  @TextField({ rest: true })
  name!: string;

  @TextField({ rest: true, description: 'The semantic version.' })
  version!: string;

  @IntField({ rest: true, description: 'The number of the version.' })
  version_number!: number;
}

@ObjectType('NullString', { description: 'A nullable string, as older clients expect it.' })
export class NullString {
  @TextField({ description: 'The string; empty when there is none.' })
  String!: string;

  @FlagField({ description: 'Whether there is one.' })
  Valid!: boolean;
}

/** Contents that can be requested in addition to the record. */
export interface PopulatedContent {
  patternFile?: string;
  source?: Buffer;
}

@ObjectType('PatternResult', { description: 'A design.' })
export class DesignView extends RecordView {
  @TextField()
  name!: string;

  @IdField({ description: 'The user who owns it.' })
  user_id!: string;

  @IdField()
  workspace_id!: string;

  @IdField({ rest: true })
  organization_id!: string;

  @WordField(VISIBILITIES)
  visibility!: Visibility;

  @TextField({
    weight: CONTENTS_WEIGHT,
    description: 'The design file as YAML; empty in lists over REST unless populate=pattern_file.',
  })
  pattern_file!: string;

  @TextField({
    rest: true,
    optional: true,
    description: 'The source as it was imported; only with populate=source_content.',
  })
  source_content?: string;

  @WordField(['utf-8', 'base64'], {
    rest: true,
    optional: true,
    description: 'How source_content is written: archives in base64.',
  })
  source_encoding?: string;

  @MapField({ of: () => DesignLocationView, nullable: true })
  location!: DesignLocation;

  @MapField({
    of: () => CloneOriginView,
    rest: true,
    nullable: true,
    description: 'The design version that it was cloned from.',
  })
  cloned_from!: CloneOrigin | null;

  @MapField({ members: PUBLISHED_MEMBERS, nullable: true })
  catalog_data!: Record<string, unknown>;

  @FlagField({ description: 'Every component is known and can be deployed.' })
  canSupport!: boolean;

  @TextField({ description: 'The first reason why not.' })
  errmsg!: string;

  @RecordField(() => NullString)
  type!: NullString;

  @WordField(SOURCE_TYPES)
  source_type!: string;

  @TextField({ description: 'Semver of the current content.' })
  version!: string;

  @IntField({ rest: true })
  version_number!: number;

  @IntField({ rest: true })
  deployment_count!: number;

  @IntField({ rest: true })
  clone_count!: number;

  @IntField({ rest: true })
  download_count!: number;

  static fromEntity(this: void, design: Design, { patternFile = '', source }: PopulatedContent = {}): DesignView {
    return RecordView.assignRecord(new DesignView(), design, {
      name: design.name,
      user_id: design.userId,
      workspace_id: design.workspaceId,
      organization_id: design.organizationId,
      visibility: design.visibility,
      pattern_file: patternFile,
      ...(source ? encodeSource(source) : {}),
      location: design.location,
      cloned_from: design.clonedFrom,
      catalog_data: design.catalogData,
      canSupport: design.unsupported === '',
      errmsg: design.unsupported,
      type: { String: design.sourceType, Valid: true },
      source_type: design.sourceType,
      version: design.version,
      version_number: design.versionNumber,
      deployment_count: design.deploymentCount,
      clone_count: design.cloneCount,
      download_count: design.downloadCount,
    });
  }
}

export const DesignPage = PaginatedView(DesignView, 'patterns', 'PatternPageResult');

/** A page of the designs of a workspace, which are under `designs` too. */
export class WorkspaceDesignPage extends DesignPage {
  @RecordsField(() => DesignView, { rest: true, description: 'The same as `patterns`.' })
  designs!: DesignView[];
}

/** A design that was written, and what its source could not express. */
export class WrittenDesignView extends DesignView {
  @RecordsField(() => FaultView, { rest: true, description: 'What the caller should know about the source.' })
  warnings!: Fault[];

  static override fromEntity(
    this: void,
    design: Design,
    content: PopulatedContent = {},
    warnings: Fault[] = [],
  ): WrittenDesignView {
    return Object.assign(DesignView.fromEntity(design, content), { warnings });
  }
}

/** A design that was parsed and not stored. */
export class DesignPreviewView extends PreviewOf(WrittenDesignView, 'ParsedDesignView') {
  @IdField({ rest: true, nullable: true, description: 'Null, unless it is the content of the design already.' })
  id!: string | null;

  @IdField({ rest: true, nullable: true, description: 'The workspace; null when it would be created with the design.' })
  workspace_id!: string | null;

  @IntField({ rest: true, description: 'How many components the design has.' })
  components!: number;

  @TextField({ rest: true, nullable: true, description: 'A picture of the design, as SVG; null when it is too large.' })
  picture!: string | null;
}

/** Bytes in a form that JSON supports: text unchanged, everything else in base64. */
function encodeSource(source: Buffer): { source_content: string; source_encoding: string } {
  const encoding = isUtf8(source) && !source.includes(0) ? 'utf-8' : 'base64';
  return { source_content: source.toString(encoding), source_encoding: encoding };
}
