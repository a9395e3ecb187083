import { type ClassValue, clsx } from 'clsx'
import { extendTailwindMerge } from 'tailwind-merge'

// Registers the theme's own utility classes of styles.css.
const merge = extendTailwindMerge({
  // Font-size classes of this theme set no line height, so tailwind-merge must keep a line-height class such as
  // leading-5.
  override: { conflictingClassGroups: { 'font-size': [] } },
  extend: {
    theme: {
      spacing: ['control', 'control-sm'],
      shadow: ['float', 'overline', 'underline'],
      'font-weight': ['strong', 'heading'],
    },
  },
})

/** Joins classes. Later conflicting utilities win, so put a caller's classes last. */
export const joinClassNames = (...classes: readonly ClassValue[]): string => merge(clsx(classes))
