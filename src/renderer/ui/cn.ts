import { type ClassValue, clsx } from 'clsx'
import { extendTailwindMerge } from 'tailwind-merge'

// What the theme (styles.css) adds to Tailwind's own names.
const merge = extendTailwindMerge({
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
