import { InputForms } from '../../core/schema/field-examples.js';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayNotEmpty, ArrayUnique, IsArray, IsIn, IsOptional } from 'class-validator';
import { type Scope, SCOPES } from '../../core/access/actor.js';
import { NameInput } from '../../core/schema/input-fields.js';
import { IsTime } from '../../core/schema/is-time.js';

@InputForms({ example: { name: 'pipeline', scopes: ['read', 'deploy'] } })
export class NewToken {
  @NameInput()
  name!: string;

  @ApiProperty({ type: String, isArray: true, enum: [...SCOPES], minItems: 1, uniqueItems: true })
  @ArrayNotEmpty({ message: 'must name at least one scope' })
  @ArrayUnique({ message: 'must name a scope once' })
  @IsIn(SCOPES, { each: true, message: `must be some of ${SCOPES.join(', ')}` })
  @IsArray({ message: 'must be a list of scopes' })
  scopes!: Scope[];

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Without it the token does not expire.',
  })
  @IsOptional()
  @IsTime()
  expires_at?: string | null;
}
