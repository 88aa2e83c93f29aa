/** The body of a new pet, but for its category. Add the value of a required field here. */
export const newPet = { name: 'Tom' };
