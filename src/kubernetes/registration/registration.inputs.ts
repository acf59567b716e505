import { InputForms } from '../../core/schema/field-examples.js';
import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy, ValidateIf } from 'class-validator';
import { IdInput, TEXT_OR_OBJECT, TextInput } from '../../core/schema/input-fields.js';

const KUBECONFIG = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'example',
  contexts: [{ name: 'example', context: { cluster: 'example', user: 'example' } }],
  clusters: [{ name: 'example', cluster: { server: 'https://kubernetes.example.com' } }],
  users: [{ name: 'example', user: { token: 'example-token' } }],
};
const KUBECONFIG_TEXT = JSON.stringify(KUBECONFIG);

@InputForms({ text: { kubeconfig: KUBECONFIG_TEXT }, object: { kubeconfig: KUBECONFIG } })
export class KubeconfigUpload {
  @ApiProperty({
    required: false,
    oneOf: TEXT_OR_OBJECT,
    description: 'A kubeconfig, as text or as an object, when no file is sent.',
  })
  @ValidateIf((_, value) => value !== undefined)
  @ValidateBy({
    name: 'isKubeconfig',
    validator: {
      validate: (value) => typeof value === 'string' || (typeof value === 'object' && value !== null),
      defaultMessage: () => 'must be text or an object',
    },
  })
  kubeconfig?: string | object;

  @IdInput({ optional: true })
  organization_id?: string;

  @TextInput({
    optional: true,
    max: 1_000,
    description: 'Ignored, for every context is registered; older clients send it.',
  })
  context_name?: string;

  /** Returns the kubeconfig as text. */
  static toText(this: void, { kubeconfig }: KubeconfigUpload): string | undefined {
    return typeof kubeconfig === 'object' ? JSON.stringify(kubeconfig) : kubeconfig;
  }
}
