/**
 * The texts that a translation of `T` must have: every key, whatever the words.
 * Keys for one thing (`..._one`) are left out, because Vietnamese has a single form (`..._other`).
 */
export type Translation<T> = {
  readonly [K in keyof T as K extends `${string}_one` ? never : K]: T[K] extends string ? string : Translation<T[K]>
}
