// biome-ignore lint/suspicious/noExplicitAny: like JSON.parse
export const jsonOrUndefined = (text: string | undefined): any => {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
};
