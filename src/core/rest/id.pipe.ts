import { Injectable, Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { validate } from 'uuid';
import { InvalidRequest } from '../errors/app-error.js';

@Injectable()
export class IdPipe implements PipeTransform<string, string> {
  constructor(private readonly name: string) {}

  transform(value: string): string {
    if (validate(value)) return value.toLowerCase();
    throw InvalidRequest.forField(this.name, 'must be a UUID', 'Send the id as the list shows it.');
  }
}

/** An id in the path. Anything but a UUID is answered with 400. */
export const IdParam = (name = 'id', description?: string): ParameterDecorator => {
  const inject = Param(name, new IdPipe(name));
  return (target, key, index) => {
    inject(target, key, index);
    const descriptor = Object.getOwnPropertyDescriptor(target, key as string);
    if (descriptor)
      ApiParam({ name, description, schema: { type: 'string', format: 'uuid' } })(target, key as string, descriptor);
  };
};
