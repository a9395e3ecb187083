import { type ReactNode, useRef } from 'react'

/** Hidden file field. `children` renders the button that opens it. */
export function FilePicker(props: {
  readonly label: string
  /** File name endings. Default: several files of any kind. */
  readonly accept?: string
  readonly onFiles: (files: readonly File[]) => void
  readonly children: (open: () => void) => ReactNode
}) {
  const { label, accept, onFiles, children } = props
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        multiple={accept === undefined}
        accept={accept}
        aria-label={label}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          target.value = ''
        }}
      />
      {children(() => input.current?.click())}
    </>
  )
}
