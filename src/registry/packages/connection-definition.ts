import { type Fault } from '../../core/errors/app-error.js';
import { type ConnectionDefinition } from '../definition.js';
import { type FoundDefinition } from './found-definition.js';
import { Members } from './members.js';

export function readConnection({ value, pointer }: FoundDefinition, faults: Fault[]): ConnectionDefinition {
  const members = new Members(value, pointer, faults);
  members.drop('schemaVersion');
  const kind = members.name('kind', 'Give the kind of connection, such as grafana.').toLowerCase();
  return {
    kind,
    name: members.text('name') || kind,
    type: members.text('type'),
    subType: members.text('subType', 'sub_type'),
    description: members.text('description'),
    connectionSchema: members.objectAt('connectionSchema') ?? null,
    credentialSchema: members.objectAt('credentialSchema') ?? null,
    transitionMap: members.objectAt('transitionMap') ?? null,
    rest: members.rest(),
  };
}
