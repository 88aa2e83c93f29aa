/** An environment variable that the template sets. @throws when it is not there, by its name */
export const setting = (name: string): string => {
  const value = process.env[name];
  if (!value)
    throw new Error(`The environment variable ${name} is not set. The stack sets it: see cdk/operation-function.ts.`);
  return value;
};
