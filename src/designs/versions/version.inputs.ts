import { InputForms } from '../../core/schema/field-examples.js';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { NameInput, TextInput } from '../../core/schema/input-fields.js';
import { IsVersionNumber, MAX_VERSION_NUMBER } from '../contents/version-number.js';

/** The number in a text; undefined when no version can have it. */
export function parseVersionNumber(text: string): number | undefined {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= MAX_VERSION_NUMBER ? number : undefined;
}

export class DiffQuery {
  @ApiPropertyOptional({
    description:
      'The number of a version or the name of a snapshot; default: the version that was current before `to`.',
  })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  from?: string;

  @ApiPropertyOptional({
    description: 'The number of a version or the name of a snapshot; default: the current version.',
  })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  to?: string;
}

export class NewSnapshot {
  @NameInput()
  name!: string;

  @ApiProperty({ type: 'integer', required: false, description: 'Default: the current version.' })
  @IsOptional()
  @IsVersionNumber()
  number?: number;
}

@InputForms({ example: { message: 'Back to the last good version.' } })
export class Restoration {
  @TextInput({ optional: true, max: 1000, description: 'Stored with the new version.' })
  message?: string;
}
