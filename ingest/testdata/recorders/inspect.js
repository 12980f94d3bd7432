'use strict';
// Records work.js with the inspector of Node. WORK_OUT is the recording.
const inspector = require('inspector'), fs = require('fs');
const session = new inspector.Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.setSamplingInterval', { interval: 10000 });
session.post('Profiler.start', () => {
  require('./work.js');
  setTimeout(() => session.post('Profiler.stop', (err, { profile }) => fs.writeFileSync(process.env.WORK_OUT, JSON.stringify(profile))), 400);
});
