import { call, type Options, refresh, useCall } from './api.js';

/** Keeps a record at hand on the first screen. */
export function Favourite({ type, id }: Options<'addFavourite'>['path']) {
  const { data } = useCall('listFavourites');
  if (!data) return null;
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
