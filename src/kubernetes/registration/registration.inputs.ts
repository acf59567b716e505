import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy, ValidateIf } from 'class-validator';
import { IdInput } from '../../core/schema/input-fields.js';

export class KubeconfigUpload {
  @ApiProperty({
    required: false,
    oneOf: [{ type: 'string' }, { type: 'object' }],
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

  /** Returns the kubeconfig as text. */
  static toText(this: void, { kubeconfig }: KubeconfigUpload): string | undefined {
    return typeof kubeconfig === 'object' ? JSON.stringify(kubeconfig) : kubeconfig;
  }
}
