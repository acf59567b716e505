import { IdInput, TextInput } from '../../core/schema/input-fields.js';

export class KubeconfigUpload {
  @TextInput({ optional: true, max: 1024 * 1024, description: 'The text of a kubeconfig, where no file is sent.' })
  kubeconfig?: string;

  @IdInput({ optional: true })
  organization_id?: string;
}
