import { SetMetadata } from '@nestjs/common';

export const IS_REGISTRY_READ = 'armature:registry-read';

/** Marks a route that only reads the registry: callers without a token pass when REGISTRY_ANONYMOUS_READ is set. */
export const RegistryRead = () => SetMetadata(IS_REGISTRY_READ, true);
