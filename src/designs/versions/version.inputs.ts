import { Injectable, Param, type PipeTransform } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsOptional, Min } from 'class-validator';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { NameInput, TextInput } from '../../core/schema/input-fields.js';
import type { Design } from '../design.entity.js';

/** The largest number that the database has for a version. */
const LARGEST = 2 ** 31 - 1;

/** @throws InvalidRequest when it is not the number of a version */
function readNumber(name: string, text: string): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= LARGEST) return number;
  throw InvalidRequest.at(name, 'must be the number of a version', 'Send a whole number from 1.');
}

@Injectable()
class VersionNumberPipe implements PipeTransform<string, number> {
  transform(value: string): number {
    return readNumber('number', value);
  }
}

/** The number of a version in the path. */
export const VersionNumber = (): ParameterDecorator => Param('number', new VersionNumberPipe());

export class DiffQuery {
  @ApiPropertyOptional({ type: 'integer', description: 'The version before `to` when it is left out.' })
  @IsOptional()
  from?: string;

  @ApiPropertyOptional({ type: 'integer', description: 'The current version when it is left out.' })
  @IsOptional()
  to?: string;

  /** @throws InvalidRequest naming the parameter that is no number of a version */
  numbers({ versionNumber, shown: [first] }: Design): { from: number; to: number } {
    const to = this.to ? readNumber('to', String(this.to)) : versionNumber;
    return { from: this.from ? readNumber('from', String(this.from)) : Math.max(to - 1, first), to };
  }
}

export class NewSnapshot {
  @NameInput()
  name!: string;

  @ApiProperty({ type: 'integer', required: false, description: 'The current version when it is left out.' })
  @IsOptional()
  @IsInt({ message: 'must be the number of a version' })
  @Min(1, { message: 'must be the number of a version' })
  number?: number;
}

export class Restoration {
  @TextInput({ optional: true, max: 1000, description: 'Kept with the new version.' })
  message?: string;
}
