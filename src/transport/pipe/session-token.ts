/** Tokens for sessions with agents on other machines: a JWT that is good for an hour. */
import { jwtVerify, SignJWT } from 'jose';
import { BridgeError } from '../../core/errors.ts';

const ALGORITHM = 'HS256';
const LIFE = '1h';
/** Of the clocks of two machines. */
const TOLERANCE = '30s';
/** Bytes: a shorter secret than the hash could be guessed. */
const SECRET_LENGTH = 32;

export async function issueToken(session: string, secret: string): Promise<string> {
  return new SignJWT({ sessionId: session })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .setIssuedAt()
    .setExpirationTime(LIFE)
    .sign(keyOf(secret));
}

/** @throws where the token is not one of this session, made with this secret in the last hour. */
export async function verifyToken(token: string, session: string, secret: string): Promise<void> {
  const { payload } = await jwtVerify(token, keyOf(secret), {
    algorithms: [ALGORITHM],
    requiredClaims: ['exp', 'iat', 'sessionId'],
    // A token that was made to live longer is no good either.
    maxTokenAge: LIFE,
    clockTolerance: TOLERANCE,
  });
  if (payload['sessionId'] !== session) throw new Error('the token is of another session');
}

function keyOf(secret: string): Uint8Array {
  const key = new TextEncoder().encode(secret);
  if (key.length < SECRET_LENGTH) {
    throw new BridgeError(
      'invalid-argument',
      `The secret of a remote session needs at least ${SECRET_LENGTH} bytes.`,
    );
  }
  return key;
}
