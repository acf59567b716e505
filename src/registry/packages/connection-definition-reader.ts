import { type Fault } from '../../core/errors/app-error.js';
import { type ConnectionDefinition } from '../../formats/definitions/definitions.js';
import { type RawDefinition } from './raw-definition.js';
import { MemberReader } from './member-reader.js';

export function readConnectionDefinition({ value, pointer }: RawDefinition, faults: Fault[]): ConnectionDefinition {
  const members = new MemberReader(value, pointer, faults);
  members.ignore('schemaVersion');
  const kind = members.readName('kind', 'Give the kind of connection, such as grafana.').toLowerCase();
  return {
    kind,
    name: members.readText('name') || kind,
    type: members.readText('type'),
    subType: members.readText('subType', 'sub_type'),
    description: members.readText('description'),
    connectionSchema: members.readObject('connectionSchema') ?? null,
    credentialSchema: members.readObject('credentialSchema') ?? null,
    transitionMap: members.readObject('transitionMap') ?? null,
    rest: members.unreadMembers(),
  };
}
