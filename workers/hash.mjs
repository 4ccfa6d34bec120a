// SHA-256 of whole buffers. crypto.subtle exists in secure contexts only, as OPFS does, so where it
// is missing the engine could not run anyway.

/** @param {BufferSource} bytes @returns {Promise<string>} hexadecimal */
export async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
