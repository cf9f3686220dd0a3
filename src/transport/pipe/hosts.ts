/** Which hosts are this machine itself: what goes there needs no encryption. */
import net from 'node:net';

export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/gu, '').toLowerCase();
  if (bare === 'localhost' || bare === '::1') return true;
  return net.isIPv4(bare) && bare.startsWith('127.');
}
