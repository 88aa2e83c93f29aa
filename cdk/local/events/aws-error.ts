/** An error as a service of AWS returns it. */
export const awsError = (name: string, message: string) => Object.assign(new Error(message), { name });
