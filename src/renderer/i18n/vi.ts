import type { en, RequiredTexts } from './en'
import * as texts from './vi-texts'

/** Requires all keys of `T`. Excludes `..._one`, because Vietnamese only has the plural form `..._other`. */
type Translation<T> = {
  readonly [K in keyof T as K extends `${string}_one` ? never : K]: T[K] extends string ? string : Translation<T[K]>
}

/** Vietnamese texts. Each file in `locales/vi` contains one namespace. */
export const vi = { ...texts } satisfies Translation<typeof en> & RequiredTexts
