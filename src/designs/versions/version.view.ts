import { ApiPropertyOptional } from '@nestjs/swagger';
import { PaginatedView } from '../../core/listing/page.js';
import { FlagField, IdField, IntField, TextField, TimeField, WordField } from '../../core/schema/view-fields.js';
import { SOURCE_TYPES } from '../formats/source-type.js';
import type { Design } from '../design.entity.js';
import type { DesignVersion } from '../contents/design-version.entity.js';

export class VersionView {
  @IdField({ rest: true })
  id!: string;

  @IdField({ rest: true })
  design_id!: string;

  @IntField({ rest: true, description: 'From 1 without gaps.' })
  number!: number;

  @TextField({ rest: true, description: 'Semver.' })
  version!: string;

  @WordField(SOURCE_TYPES, { rest: true })
  source_type!: string;

  @IdField({ rest: true, description: 'The user who created it.' })
  user_id!: string;

  @TextField({ rest: true })
  message!: string;

  @FlagField({ rest: true, description: 'The design is this version now.' })
  current!: boolean;

  @IntField({
    rest: true,
    nullable: true,
    description: 'For a variant of a version with values of a deployment.',
  })
  variant_of!: number | null;

  @TimeField({ rest: true })
  created_at!: Date;

  @ApiPropertyOptional({ description: 'The design file as YAML; only for a single version.' })
  pattern_file?: string;

  static fromEntity(this: void, version: DesignVersion, design: Design): VersionView {
    return Object.assign(new VersionView(), {
      id: version.id,
      design_id: version.designId,
      number: version.number,
      version: version.version,
      source_type: version.sourceType,
      user_id: version.userId,
      message: version.message,
      current: version.number === design.versionNumber,
      variant_of: version.variantOf,
      created_at: version.createdAt,
    });
  }
}

export const VersionPage = PaginatedView(VersionView, 'versions', 'DesignVersionPage');
