import clsx from 'clsx'
import type { ComponentProps } from 'react'
import { useFieldWiring } from './field'
import styles from './field.module.css'

/** A control for several lines of text. Inside a `Field` it takes its label and messages from it. */
export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  const wiring = useFieldWiring()
  return (
    <textarea
      spellCheck={false}
      autoComplete="off"
      {...wiring}
      {...rest}
      className={clsx(styles.control, styles.area, wiring['aria-invalid'] && styles.invalid, className)}
    />
  )
}
