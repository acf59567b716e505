import { Injectable, type PipeTransform, Query } from '@nestjs/common';
import { InvalidRequest } from '../errors/app-error.js';

@Injectable()
class FlagPipe implements PipeTransform<unknown, boolean> {
  constructor(private readonly name: string) {}

  transform(value: unknown): boolean {
    if (value === undefined || value === '' || value === 'false') return false;
    if (value === 'true') return true;
    throw InvalidRequest.forField(this.name, 'must be true or false');
  }
}

/** A query parameter that is `true` or `false`; false when it is absent. */
export const FlagQuery = (name: string): ParameterDecorator => Query(name, new FlagPipe(name));
