import { existsSync } from 'node:fs';

const candidates = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Where a Chromium is; undefined, and said so, where there is none. */
export const chromiumPath = candidates.find(path => path && existsSync(path));
if (!chromiumPath)
  console.log(
    'Skipped: the documentation page in a browser. Install Chromium, or name one: CHROMIUM=/path/to/chromium',
  );

export const launchOptions = {
  executablePath: chromiumPath!,
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
  ],
};
