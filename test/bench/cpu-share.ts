import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A function has a whole CPU at this size (Lambda developer guide, "Configure Lambda function memory"). */
const megabytesPerCpu = 1_769;

/**
 * Makes a cgroup whose processes get Lambda's share of a CPU in each period. A process enters it when it writes its id to the
 * first file of `groups`, and leaves it with the second. If no cgroup can be made, `groups` is undefined.
 * @param memory in megabytes @param period in milliseconds
 */
export const createCpuShare = (memory: number, period: number) => {
  const isV2 = existsSync('/sys/fs/cgroup/cgroup.controllers');
  const root = isV2 ? '/sys/fs/cgroup' : '/sys/fs/cgroup/cpu';
  const group = join(root, `petstore-bench-${process.pid}`);
  const share = Math.min(memory / megabytesPerCpu, 1);
  const [quota, whole] = [Math.round(share * period * 1_000), period * 1_000];
  const limits = isV2
    ? { max: `${quota} ${whole}` }
    : { cfs_period_us: whole, cfs_quota_us: quota };
  try {
    mkdirSync(group);
    for (const [name, value] of Object.entries(limits))
      writeFileSync(join(group, `cpu.${name}`), `${value}`);
  } catch {
    return { share, groups: undefined, remove: () => undefined };
  }
  const groups = [join(group, 'cgroup.procs'), join(root, 'cgroup.procs')] as const;
  return { share, groups, remove: () => rmdirSync(group) };
};
