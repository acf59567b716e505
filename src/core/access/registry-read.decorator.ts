import { SetMetadata } from '@nestjs/common';

export const IS_REGISTRY_READ = 'armature:registry-read';

/** Marks a route that only reads the registry: with REGISTRY_ANONYMOUS_READ it needs no token. */
export const RegistryRead = () => SetMetadata(IS_REGISTRY_READ, true);
