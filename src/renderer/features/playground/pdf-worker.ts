import { readPdfText } from './pdf-text'

/** Answers on the port of the request, because pdf.js sends its own messages from the worker. */
addEventListener('message', ({ data, ports: [port] }: MessageEvent<ArrayBuffer>) => {
  void readPdfText(new Uint8Array(data)).then((result) => port?.postMessage(result))
})
