import { Injectable, type PipeTransform, Query } from '@nestjs/common';
import { InvalidRequest } from '../errors/app-error.js';

@Injectable()
class FlagPipe implements PipeTransform<unknown, boolean> {
  constructor(
    private readonly name: string,
    private readonly preset: boolean,
  ) {}

  transform(value: unknown): boolean {
    if (value === undefined || value === '') return this.preset;
    if (value === 'true' || value === 'false') return value === 'true';
    throw InvalidRequest.forField(this.name, 'must be true or false');
  }
}

/** A query parameter that is `true` or `false`; `preset`, false by default, when it is absent. */
export const FlagQuery = (name: string, preset = false): ParameterDecorator => Query(name, new FlagPipe(name, preset));
