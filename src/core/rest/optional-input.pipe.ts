import type { PipeTransform, Type } from '@nestjs/common';
import { InputPipe } from './input.pipe.js';

/** Validates an optional input, whose class the type of its parameter does not reveal. */
export class OptionalInputPipe implements PipeTransform {
  private readonly inputs = new InputPipe();

  constructor(private readonly metatype: Type<object>) {}

  transform(value: unknown): unknown {
    if (value === undefined || value === null) return value;
    return this.inputs.transform(value, { type: 'body', metatype: this.metatype });
  }
}
