import type { StockedPet } from '../shared/create-stocked-pet.ts';

interface Category {
  readonly name: string;
  readonly description?: string;
  readonly pets: readonly Omit<StockedPet, 'categoryId'>[];
}

/** A small believable shop. */
export const shop: readonly Category[] = [
  {
    name: 'Cats',
    description: 'Independent, quiet, awake at night',
    pets: [
      { name: 'Tom', quantity: 1 },
      { name: 'Minka', quantity: 1 },
      { name: 'Professor', status: 'pending' },
    ],
  },
  {
    name: 'Dogs',
    description: 'Need exercise in any weather',
    pets: [
      { name: 'Rex', quantity: 1 },
      { name: 'Bella', status: 'sold' },
    ],
  },
  {
    name: 'Fish',
    description: 'Sold by the piece, best kept in company',
    pets: [
      { name: 'Neon tetra', quantity: 240 },
      { name: 'Guppy', quantity: 120 },
      { name: 'Clownfish', quantity: 12 },
    ],
  },
  { name: 'Rodents', pets: [{ name: 'Golden hamster', quantity: 6 }] },
];
