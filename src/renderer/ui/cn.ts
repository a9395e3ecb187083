import { type ClassValue, clsx } from 'clsx'
import { extendTailwindMerge } from 'tailwind-merge'

// What the theme (styles.css) adds to Tailwind's own names.
const merge = extendTailwindMerge({
  // A size of text does not set the line height here, so leading-5 stays beside it.
  override: { conflictingClassGroups: { 'font-size': [] } },
  extend: {
    theme: {
      spacing: ['control', 'control-sm'],
      shadow: ['float', 'overline', 'underline'],
      'font-weight': ['strong', 'heading'],
    },
  },
})

/** Joins classes; of two utilities that say the same the later one holds, so what comes from outside goes last. */
export const cn = (...classes: readonly ClassValue[]): string => merge(clsx(classes))
