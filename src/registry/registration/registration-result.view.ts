import { FaultView } from '../../core/errors/fault.view.js';
import { IdField, IntField, RecordField, RecordsField, TextField, WordField } from '../../core/schema/view-fields.js';
import type { DefinitionFault } from '../../formats/definitions/definitions.js';
import type { RegistrationCounts } from '../entities/registry.events.js';
import {
  type Answered,
  type RegisteredComponent,
  type RegisteredModel,
  type RegisteredRelationship,
  REGISTRATION_VERDICTS,
  type RegistrationResult,
  type RegistrationVerdict,
} from './registration-result.js';

const ENTITIES = ['model', 'component', 'relationship', 'connection', 'file'] as const;

class RegisteredModelRegistrant {
  @TextField({ rest: true })
  kind!: string;

  @TextField({ rest: true })
  hostname!: string;
}

class RegisteredModelName {
  @TextField({ rest: true })
  name!: string;

  @TextField({ rest: true })
  version!: string;
}

class RegisteredModelView implements Answered<RegisteredModel> {
  @IdField({ rest: true, optional: true, description: 'Absent in a dry run.' })
  id?: string;

  @TextField({ rest: true })
  name!: string;

  @TextField({ rest: true })
  version!: string;

  @TextField({ rest: true })
  displayName!: string;

  @RecordField(() => RegisteredModelRegistrant, { rest: true })
  registrant!: RegisteredModelRegistrant;

  @WordField(REGISTRATION_VERDICTS, { rest: true })
  outcome!: RegistrationVerdict;
}

class RegisteredComponentView implements Answered<RegisteredComponent> {
  @IdField({ rest: true, optional: true, description: 'Absent in a dry run.' })
  id?: string;

  @TextField({ rest: true })
  kind!: string;

  @TextField({ rest: true })
  apiVersion!: string;

  @TextField({ rest: true })
  displayName!: string;

  @RecordField(() => RegisteredModelName, { rest: true })
  model!: RegisteredModelName;

  @WordField(REGISTRATION_VERDICTS, { rest: true })
  outcome!: RegistrationVerdict;
}

class RegisteredRelationshipView implements Answered<RegisteredRelationship> {
  @IdField({ rest: true, optional: true, description: 'Absent in a dry run.' })
  id?: string;

  @TextField({ rest: true })
  kind!: string;

  @TextField({ rest: true })
  type!: string;

  @TextField({ rest: true })
  sub_type!: string;

  @RecordField(() => RegisteredModelName, { rest: true })
  model!: RegisteredModelName;

  @WordField(REGISTRATION_VERDICTS, { rest: true })
  outcome!: RegistrationVerdict;
}

class RegisteredConnectionView {
  @TextField({ rest: true })
  kind!: string;

  @TextField({ rest: true })
  name!: string;

  @WordField(REGISTRATION_VERDICTS, { rest: true })
  outcome!: RegistrationVerdict;
}

class RegistrationCountsView implements RegistrationCounts {
  @IntField({ rest: true })
  registered!: number;

  @IntField({ rest: true })
  updated!: number;

  @IntField({ rest: true })
  unchanged!: number;

  @IntField({ rest: true })
  failed!: number;
}

class DefinitionFaultView extends FaultView implements DefinitionFault {
  @WordField(ENTITIES, { rest: true })
  entity!: DefinitionFault['entity'];

  @TextField({ rest: true, description: 'The file in the package, or a name.' })
  path!: string;
}

/** The result of a registration: what was registered, and the faults. */
export class RegistrationResultView implements RegistrationResult {
  @RecordsField(() => RegisteredModelView, { rest: true })
  models!: RegisteredModelView[];

  @RecordsField(() => RegisteredComponentView, { rest: true })
  components!: RegisteredComponentView[];

  @RecordsField(() => RegisteredRelationshipView, { rest: true })
  relationships!: RegisteredRelationshipView[];

  @RecordsField(() => RegisteredConnectionView, { rest: true, description: 'Kinds of connections that it defines.' })
  connections!: RegisteredConnectionView[];

  @RecordField(() => RegistrationCountsView, { rest: true })
  counts!: RegistrationCountsView;

  @RecordsField(() => DefinitionFaultView, { rest: true })
  errors!: DefinitionFaultView[];

  @RecordsField(() => FaultView, { rest: true })
  warnings!: FaultView[];
}
