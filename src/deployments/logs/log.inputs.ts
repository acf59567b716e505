import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches, MaxLength } from 'class-validator';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { parseGoDuration } from '../../core/durations.js';

const FLAGS = ['', 'true', 'false'];
const MAX_LINES = 100_000;

/** What of the logs of a deployment is read. */
export class LogQuery {
  @ApiPropertyOptional({
    example: 'Deployment/shop/web',
    description: 'One object of the deployment, as `Kind/namespace/name`; default: all that run pods.',
  })
  @IsOptional()
  @MaxLength(600, { message: 'must have at most 600 characters' })
  @Matches(/^(?:[^/]+\/[^/]+\/[^/]+)?$/, { message: 'must be Kind/namespace/name' })
  resource?: string;

  @ApiPropertyOptional({ example: 'app', description: 'One container; default: all but those that initialize.' })
  @IsOptional()
  @Matches(/^[a-z0-9-]{0,63}$/, { message: 'must be the name of a container' })
  container?: string;

  @ApiPropertyOptional({ enum: ['true', 'false'], description: 'The logs of the containers before they restarted.' })
  @IsOptional()
  @IsIn(FLAGS, { message: 'must be true or false' })
  previous?: string;

  @ApiPropertyOptional({ example: '10m', description: 'Only lines since then: a duration, or a time with its offset.' })
  @IsOptional()
  @MaxLength(50, { message: 'must have at most 50 characters' })
  since?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: MAX_LINES,
    description: 'Only so many of the last lines.',
  })
  @IsOptional()
  @Matches(/^(?:\d{1,5}|100000)?$/, { message: `must be a whole number from 0 to ${MAX_LINES}` })
  tail?: string;

  @ApiPropertyOptional({
    enum: ['true', 'false'],
    description: 'Streams the lines as server-sent events `log`; the last event is `end`.',
  })
  @IsOptional()
  @IsIn(FLAGS, { message: 'must be true or false' })
  follow?: string;
}

/**
 * What `since` is in a request for logs: a duration counts from the clock of the node, which may differ from that of this server.
 * @throws InvalidRequest when it is neither a duration nor a time
 */
export function parseSince(since: string | undefined): { sinceSeconds?: number; sinceTime?: string } {
  if (!since) return {};
  const duration = parseGoDuration(since);
  if (duration !== undefined && duration > 0n) return { sinceSeconds: Math.ceil(Number(duration) / 1e9) };
  const time = Date.parse(since);
  const isTime = duration === undefined && since.includes('T') && /(?:Z|[+-]\d\d:?\d\d)$/.test(since);
  if (isTime && Number.isFinite(time)) return { sinceTime: new Date(time).toISOString() };
  throw InvalidRequest.forField('since', 'must be a duration such as 10m, or a time such as 2027-01-31T18:00:00Z');
}
