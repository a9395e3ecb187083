// Named: imported as it is, the bundler would copy it byte by byte as members of a module.
exports.llhttpBytes = require('undici/lib/llhttp/llhttp_simd-wasm.js')
