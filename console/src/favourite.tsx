import { ArmatureError } from '@armature/client';
import { call, refresh, useCall } from './api.js';
import type { SubjectType } from './new-operations.js';

/** Keeps a record at hand on the first screen. */
export function Favourite({ type, id }: { type: SubjectType; id: string }) {
  const { data, error } = useCall('listFavourites');
  if (!data || (error instanceof ArmatureError && error.status === 404)) return null;
  const isOne = data.favourites.some((each) => each.id === id);
  const change = async (): Promise<void> => {
    await call(isOne ? 'removeFavourite' : 'addFavourite', { path: { type, id } });
    refresh((operation) => operation === 'listFavourites');
  };
  return (
    <button type="button" class="small" aria-pressed={isOne} onClick={() => void change()}>
      Favourite
    </button>
  );
}
