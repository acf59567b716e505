import { Injectable, Param, type PipeTransform } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { NameInput, TextInput } from '../../core/schema/input-fields.js';
import { IsVersionNumber, MAX_VERSION_NUMBER } from './version-number.js';

/** @throws InvalidRequest when it is not the number of a version */
function parseVersionNumber(name: string, text: string): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= MAX_VERSION_NUMBER) return number;
  throw InvalidRequest.forField(name, 'must be the number of a version', 'Send a whole number from 1.');
}

@Injectable()
class VersionNumberPipe implements PipeTransform<string, number> {
  transform(value: string): number {
    return parseVersionNumber('number', value);
  }
}

/** The number of a version in the path. */
export const VersionNumber = (): ParameterDecorator => Param('number', new VersionNumberPipe());

export class DiffQuery {
  @ApiPropertyOptional({
    type: 'integer',
    description: 'The version that was current before `to` when it is left out.',
  })
  @IsOptional()
  from?: string;

  @ApiPropertyOptional({ type: 'integer', description: 'The current version when it is left out.' })
  @IsOptional()
  to?: string;

  /** @throws InvalidRequest naming the parameter that is no number of a version */
  parseNumbers(): { from?: number; to?: number } {
    const read = (name: 'from' | 'to') => (this[name] ? parseVersionNumber(name, String(this[name])) : undefined);
    return { from: read('from'), to: read('to') };
  }
}

export class NewSnapshot {
  @NameInput()
  name!: string;

  @ApiProperty({ type: 'integer', required: false, description: 'The current version when it is left out.' })
  @IsOptional()
  @IsVersionNumber()
  number?: number;
}

export class Restoration {
  @TextInput({ optional: true, max: 1000, description: 'Kept with the new version.' })
  message?: string;
}
